/* link.ts — plots over the same abscissa show the same part of it and share a cursor. */
import type { Values } from './data';

/* What a link moves. */
export interface Linked {
  showRange(range: [number, number] | null): void;
  pointTo(at: number | null): void;
}

/* Charts that show the same part of the same abscissa and share a cursor. */
export class Link {
  private static made = 0;
  readonly key = `link-${++Link.made}`;
  readonly charts = new Set<Linked>();
  range: [number, number] | null = null; /* SI; null = everything */
  private at: number | null = null; /* SI: where the cursor is */
  private listeners: (() => void)[] = [];
  private followers: ((at: number | null) => void)[] = [];
  private busy = false;

  onRange(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(range: [number, number] | null): void {
    if (this.busy) return;
    this.busy = true;
    this.range = range;
    for (const chart of this.charts) chart.showRange(range);
    this.busy = false;
    for (const listener of this.listeners) listener();
  }

  /* For plots over something else, which mark where on their curves the cursor of the charts is. */
  onCursor(follower: (at: number | null) => void): void {
    this.followers.push(follower);
  }

  /* A chart has its cursor here; null = none. */
  point(at: number | null): void {
    if (this.busy || at === this.at) return;
    this.at = at;
    for (const follower of this.followers) follower(at);
  }

  /* Another plot or a stage points to this place; uPlot passes it on from one chart to all. */
  lead(at: number | null): void {
    if (this.busy || at === this.at) return;
    this.at = at;
    this.busy = true;
    [...this.charts][0]?.pointTo(at);
    for (const follower of this.followers) follower(at);
    this.busy = false;
  }

  /* First and behind the last of the rows in the range, `x` ascending. */
  rows(x: Values): [number, number] {
    let first = 0;
    let last = x.length;
    if (this.range) {
      while (first < last && x[first]! < this.range[0]) first++;
      while (last > first && x[last - 1]! > this.range[1]) last--;
    }
    return [first, last];
  }
}

/* Index of the value of `x` (ascending) that is nearest to `at`. */
export function nearestRow(x: Values, at: number): number {
  let [low, high] = [0, x.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! < at) low = middle;
    else high = middle;
  }
  return at - x[low]! < x[high]! - at ? low : high;
}
