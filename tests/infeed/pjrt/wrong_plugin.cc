// PJRT plugins that are wrong in one way each, chosen by a definition.

#include <pjrt_c_api.h>

#include <cstring>

#ifdef NO_SYMBOL
extern "C" int SomethingElse() { return 0; }
#else
namespace {

constexpr char kInUse[] = "the core is held by process 4711";
constexpr char kNoDriver[] = "no driver";

PJRT_Error* MakeError(const char* words) {
  return reinterpret_cast<PJRT_Error*>(const_cast<char*>(words));
}

void Message(PJRT_Error_Message_Args* args) {
  args->message = reinterpret_cast<const char*>(args->error);
  args->message_size = std::strlen(args->message);
}

PJRT_Error* Code(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_UNAVAILABLE;
  return nullptr;
}

void Forget(PJRT_Error_Destroy_Args*) {}

PJRT_Error* Start(PJRT_Plugin_Initialize_Args*) {
#ifdef NO_START
  return MakeError(kNoDriver);
#else
  return nullptr;
#endif
}

PJRT_Error* Refuse(PJRT_Client_Create_Args*) { return MakeError(kInUse); }

PJRT_Error* Never(PJRT_Buffer_ReadyEvent_Args*) { return MakeError(kNoDriver); }

PJRT_Api MakeApi() {
  PJRT_Api api = {};
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version = {PJRT_Api_Version_STRUCT_SIZE, nullptr, PJRT_API_MAJOR,
                          PJRT_API_MINOR};
#ifdef OTHER_MAJOR
  api.pjrt_api_version.major_version = PJRT_API_MAJOR + 1;
#endif
#ifdef TOO_OLD
  api.struct_size = PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Client_Create);
#endif
  api.PJRT_Error_Destroy = &Forget;
  api.PJRT_Error_Message = &Message;
  api.PJRT_Error_GetCode = &Code;
  api.PJRT_Plugin_Initialize = &Start;
  api.PJRT_Client_Create = &Refuse;
  api.PJRT_Buffer_ReadyEvent = &Never;
  return api;
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = MakeApi();
#ifdef NO_API
  return nullptr;
#else
  return &api;
#endif
}
#endif
