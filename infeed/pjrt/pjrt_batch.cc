#include "infeed/pjrt/pjrt_batch.h"

#include <fmt/format.h>

#include <mutex>
#include <numeric>
#include <utility>

namespace penstock {

struct PjrtTransfer {
  PjrtTransfer(CoreSlice of, Clock& clock, std::shared_ptr<UnderWay> under_way)
      : clock(clock), under_way(std::move(under_way)), slice(std::move(of)) {}

  // Each tensor is read and loaded once; so is whoever asks for them, who thus
  // comes last where all are there at once.
  void WillUse() {
    const std::lock_guard lock(mutex);
    ++reading;
    ++loading;
  }
  void HasRead() {
    std::optional<CoreSlice> free_slice;
    std::vector<std::vector<std::byte>> free_packed;
    {
      const std::lock_guard lock(mutex);
      if (--reading > 0) return;
      free_slice.swap(slice);
      free_packed.swap(packed);
    }
    free_slice.reset();
    host_free.Set(clock.NowNs());
  }
  void HasLoaded(const Status& how) {
    Status all;
    {
      const std::lock_guard lock(mutex);
      status.Update(how);
      if (--loading > 0) return;
      all = status;
    }
    if (all.ok()) {
      ready.Set(clock.NowNs());
    } else {
      ready.Set(all);
    }
    under_way->End();
  }

  Clock& clock;
  const std::shared_ptr<UnderWay> under_way;
  const DeviceEvent host_free = DeviceEvent::Unset();
  const DeviceEvent ready = DeviceEvent::Unset();

  std::mutex mutex;
  // Guarded by mutex.
  std::optional<CoreSlice> slice;              // until it is read
  std::vector<std::vector<std::byte>> packed;  // copies, of tensors cut short
  Status status;
  size_t reading = 1;
  size_t loading = 1;
};

namespace {

PJRT_Buffer_Type BufferTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kInt32:
      return PJRT_Buffer_Type_S32;
    case ElementType::kInt64:
      return PJRT_Buffer_Type_S64;
    case ElementType::kFloat32:
      return PJRT_Buffer_Type_F32;
    case ElementType::kInt8:
      return PJRT_Buffer_Type_S8;
    case ElementType::kInt16:
      return PJRT_Buffer_Type_S16;
    case ElementType::kUint8:
      return PJRT_Buffer_Type_U8;
    case ElementType::kUint16:
      return PJRT_Buffer_Type_U16;
    case ElementType::kUint32:
      return PJRT_Buffer_Type_U32;
    case ElementType::kBool:
      return PJRT_Buffer_Type_PRED;
    case ElementType::kBFloat16:
      return PJRT_Buffer_Type_BF16;
    case ElementType::kFloat16:
      return PJRT_Buffer_Type_F16;
  }
  return PJRT_Buffer_Type_INVALID;
}

PJRT_HostBufferSemantics SemanticsOf(HostMemory host_memory) {
  switch (host_memory) {
    case HostMemory::kUntilCallReturns:
      return PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    case HostMemory::kUntilTransferCompletes:
      return PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
    case HostMemory::kUntilBufferFreed:
      return PJRT_HostBufferSemantics_kImmutableZeroCopy;
  }
  return PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
}

}  // namespace

StatusOr<std::shared_ptr<PjrtBatch>> PjrtBatch::Begin(
    std::shared_ptr<PjrtClient> client, PJRT_Device* device,
    HostMemory host_memory, CoreSlice slice, Clock& clock,
    std::shared_ptr<UnderWay> under_way) {
  const size_t tensors = slice.contract().tensors.size();
  under_way->Begin();
  const auto transfer = std::make_shared<PjrtTransfer>(slice, clock, under_way);
  std::shared_ptr<PjrtBatch> batch(new PjrtBatch(std::move(client), *transfer));
  batch->step = slice.step();
  Status asked;
  for (size_t t = 0; t < tensors && asked.ok(); ++t) {
    asked = batch->Ask(device, host_memory, slice.tensor(t), transfer);
    if (asked.ok()) continue;
    asked = Annotate(
        asked, fmt::format("step {}: tensor {} does not go to the "
                           "device",
                           slice.step(), slice.contract().tensors[t].name));
  }
  { const CoreSlice gone = std::move(slice); }  // before the host is free
  transfer->HasRead();
  transfer->HasLoaded(asked);
  if (!asked.ok()) return asked;
  return batch;
}

PjrtBatch::PjrtBatch(std::shared_ptr<PjrtClient> client,
                     const PjrtTransfer& transfer)
    : DeviceBatch(transfer.host_free, transfer.ready),
      client_(std::move(client)) {}

PjrtBatch::~PjrtBatch() {
  for (PJRT_Buffer* const buffer : buffers_) client_->Destroy(buffer);
}

Status PjrtBatch::Ask(PJRT_Device* device, HostMemory host_memory,
                      const TensorView& view,
                      const std::shared_ptr<PjrtTransfer>& transfer) {
  const std::vector<int64_t>& shape =
      view.padded_shape.empty() ? view.shape : view.padded_shape;
  const std::byte* data = view.bytes.data();
  std::vector<int64_t> strides;
  if (!view.padded_shape.empty()) {
    std::vector<std::byte> bytes(view.packed_bytes());
    view.PackTo(bytes);
    data = bytes.data();
    const std::lock_guard lock(transfer->mutex);
    transfer->packed.push_back(std::move(bytes));
  } else {
    strides = view.strides_bytes;
  }
  PJRT_Client_BufferFromHostBuffer_Args args = {
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client_->get(),
      .data = data,
      .type = BufferTypeOf(view.spec->type),
      .dims = shape.data(),
      .num_dims = shape.size(),
      .byte_strides = strides.data(),
      .num_byte_strides = strides.size(),
      .host_buffer_semantics = SemanticsOf(host_memory),
      .device = device};
  const PJRT_Api& api = client_->api();
  PENSTOCK_RETURN_IF_ERROR(
      client_->plugin().ToStatus(api.PJRT_Client_BufferFromHostBuffer(&args)));
  buffers_.push_back(args.buffer);
  dimensions_.push_back(shape.size());
  transfer->WillUse();
  client_->OnReady(args.done_with_host_buffer,
                   [transfer](const Status&) { transfer->HasRead(); });
  PJRT_Buffer_ReadyEvent_Args ready = {
      .struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE,
      .buffer = args.buffer};
  const Status known =
      client_->plugin().ToStatus(api.PJRT_Buffer_ReadyEvent(&ready));
  if (!known.ok()) {
    transfer->HasLoaded(known);
    return known;
  }
  client_->OnReady(ready.event,
                   [transfer](const Status& how) { transfer->HasLoaded(how); });
  return OkStatus();
}

Status PjrtBatch::Read(size_t t, std::span<std::byte> out) {
  std::vector<int64_t> minor_to_major(dimensions_[t]);
  std::iota(minor_to_major.rbegin(), minor_to_major.rend(), 0);
  PJRT_Buffer_MemoryLayout dense = {
      .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  dense.tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                 .minor_to_major = minor_to_major.data(),
                 .minor_to_major_size = minor_to_major.size()};
  PJRT_Buffer_ToHostBuffer_Args args = {
      .struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE,
      .src = buffers_[t],
      .host_layout = &dense,
      .dst = out.data(),
      .dst_size = out.size()};
  PENSTOCK_RETURN_IF_ERROR(client_->plugin().ToStatus(
      client_->api().PJRT_Buffer_ToHostBuffer(&args)));
  const DeviceEvent read = DeviceEvent::Unset();
  client_->OnReady(args.event, [read](const Status& how) {
    if (how.ok()) {
      read.Set(0);
    } else {
      read.Set(how);
    }
  });
  return read.Await(SteadyClock()).status();
}

}  // namespace penstock
