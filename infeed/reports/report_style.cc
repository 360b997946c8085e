#include "infeed/reports/report_style.h"

namespace penstock {

const char kReportStyle[] = R"css(
:root { color-scheme: light dark;
  --page: #ffffff; --ink: #1c2330; --soft: #5b6575; --line: #dde2ea;
  --card: #f6f8fb;
  --c0: #b9c0cc; --c1: #d1495b; --c2: #e9a23b; --c3: #8e6bbf; --c4: #4c7bd9;
  --c5: #2a9d6f; --c6: #a5d8bf; --c7: #d8dde5;
  --c8: #d1495b; --c9: #e08a6a; --c10: #dcc07a; --c11: #a9c98a; --c12: #62b384;
  --c13: #2a9d6f; --c14: #b5739d;
  --c15: #6f5d3f; }
@media (prefers-color-scheme: dark) { :root {
  --page: #14181f; --ink: #e6e9ef; --soft: #9aa4b5; --line: #2c3440;
  --card: #1c222c;
  --c0: #565f6e; --c1: #e0616f; --c2: #e3a646; --c3: #a585d6; --c4: #6b96ea;
  --c5: #3fb784; --c6: #2b5f4a; --c7: #3a424f;
  --c8: #e0616f; --c9: #d38763; --c10: #bfa35c; --c11: #8aa96b; --c12: #52a37a;
  --c13: #3fb784; --c14: #c88bb0;
  --c15: #a08a63; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 64rem;
  background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p { margin: .3rem 0 .8rem; color: var(--soft); }
.figures { display: grid; gap: .75rem; margin-top: 1.2rem;
  grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); }
.figures div { background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; padding: .6rem .8rem; }
.figures b { display: block; font-size: 1.25rem; font-weight: 600;
  font-variant-numeric: tabular-nums; }
.figures span { color: var(--soft); font-size: .82rem; }
.legend span { margin-right: .9rem; white-space: nowrap; font-size: .85rem; }
.legend i { display: inline-block; width: .8em; height: .8em;
  border-radius: .15em; margin-right: .35em; vertical-align: -.05em; }
.bars { display: grid; gap: .3rem .7rem; align-items: center;
  grid-template-columns: max-content 1fr max-content; }
.bars b { font-weight: 500; font-size: .88rem; }
.bars span { color: var(--soft); font-size: .82rem;
  font-variant-numeric: tabular-nums; }
.bar { display: flex; height: 1.1rem; border-radius: .2rem; overflow: hidden;
  background: var(--card); }
.bar i { flex: none; min-width: 0; }
.columns { display: block; width: 100%; height: 9rem; background: var(--card);
  border-radius: .3rem; }
.axis { display: flex; justify-content: space-between; font-size: .8rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td.n, th.n { text-align: right; width: 6rem; padding-right: 1.2rem;
  font-variant-numeric: tabular-nums; }
pre { background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; padding: .8rem; overflow-x: auto; font-size: .8rem; }
.c0 { background: var(--c0); fill: var(--c0); }
.c1 { background: var(--c1); fill: var(--c1); }
.c2 { background: var(--c2); fill: var(--c2); }
.c3 { background: var(--c3); fill: var(--c3); }
.c4 { background: var(--c4); fill: var(--c4); }
.c5 { background: var(--c5); fill: var(--c5); }
.c6 { background: var(--c6); fill: var(--c6); }
.c7 { background: var(--c7); fill: var(--c7); }
.c8 { background: var(--c8); } .c9 { background: var(--c9); }
.c10 { background: var(--c10); } .c11 { background: var(--c11); }
.c12 { background: var(--c12); } .c13 { background: var(--c13); }
.c14 { background: var(--c14); }
.c15 { background: var(--c15); fill: var(--c15); }
@media (max-width: 40rem) {
  .bars { grid-template-columns: max-content 1fr; }
  .bars span { grid-column: 1 / -1; margin-bottom: .3rem; } }
)css";

}  // namespace penstock
