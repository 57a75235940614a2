/* stage_swing.ts — modes of any drive that has a picture, swinging on the stage.
 *
 * The analysis stores what pictures are drawn from at rest and by how much each mode changes it (arrays "swing.*", their first row
 * the rest). One period of a mode is then a film like any other, and the drive's own actor draws it. The size of a mode means
 * nothing: it is drawn as large as the eye needs, and told so. */
import { asColumn, valuesOf, type ArrayData, type Group, type Report, type Values } from './data';
import { short } from './format';
import type { Actor } from './stage';

const steps = 48; /* of a period */
const seconds = 2.4; /* of playing it */
const shown = 0.07; /* largest motion over the size of the drive */

const array = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);
const swings = (group: Group): ArrayData[] => group.arrays.filter((a) => a.name.startsWith('swing.') && a.name !== 'swing.mode' && !a.omitted);

function made(name: string, unit: string, long_name: string, dims: number[], values: Values): ArrayData {
  return Object.assign(asColumn({ name, unit, long_name }, values), { dims, axes: [], omitted: false });
}

const phases = Float64Array.from({ length: steps + 1 }, (_p, k) => (360 * k) / steps);

/* One period as an analysis that moves. */
function period(group: Group, mode: number, scale: number): Group {
  const arrays = swings(group).map((a) => {
    const v = valuesOf(a);
    const n = v.length / a.dims[0]!;
    const values = Float64Array.from({ length: (steps + 1) * n }, (_v, at) =>
      v[at % n]! + scale * Math.sin((2 * Math.PI * Math.floor(at / n)) / steps) * v[mode * n + (at % n)]!);
    return made(`film.${a.name.slice('swing.'.length)}`, a.unit, a.long_name, [steps + 1, ...a.dims.slice(1)], values);
  });
  return {
    name: `${group.name}.${mode}`, kind: 'periodic', title: group.title, status: group.status, numbers: [],
    arrays: [made('film.time', '°', 'phase', [steps + 1], phases), ...arrays],
    texts: group.texts.filter((t) => t.name.startsWith('swing.')).map((t) => ({ ...t, name: `film.${t.name.slice('swing.'.length)}` })),
  };
}

/* Where something is, in the plane. Forces of a motion of no size mean nothing, so that drives whose pictures tell little else are
 * left to the table of the shapes. */
const isPlace = (a: ArrayData): boolean => a.unit === 'm' && /\.(x|y)$/.test(a.name);

/* What one unit of a mode is to be multiplied by. */
function scaleOf(group: Group, mode: number): number {
  let [size, most] = [0, 0];
  for (const a of swings(group).filter(isPlace)) {
    const v = valuesOf(a);
    const n = v.length / a.dims[0]!;
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < n; i++) {
      [low, high] = [Math.min(low, v[i]!), Math.max(high, v[i]!)];
      most = Math.max(most, Math.abs(v[mode * n + i]!));
    }
    size = Math.max(size, high - low);
  }
  return most > 0 ? (shown * size) / most : 1;
}

/* Modes that swing; those of free motion have no frequency and are left out. */
function swinging(group: Group): number[] {
  const [angular_frequency, mode] = [array(group, 'angular_frequency'), array(group, 'swing.mode')];
  if (!angular_frequency || !mode || !swings(group).some(isPlace)) return [];
  const w = valuesOf(angular_frequency);
  const last = w[w.length - 1] ?? 0;
  return Array.from(valuesOf(mode)).slice(1).filter((k) => (w[k - 1] ?? 0) > 1e-6 * last);
}

export function swingActor(report: Report, group: Group, make: (report: Report, group: Group) => Actor | null): Actor | null {
  const modes = group.kind === 'modes' ? swinging(group) : [];
  const actor = (k: number): Actor | null => make(report, period(group, modes[k]!, scaleOf(group, modes[k]!)));
  let now = modes.length ? actor(0) : null;
  if (!now) return null;
  const w = valuesOf(array(group, 'angular_frequency')!);
  const hertz = (k: number): number => w[modes[k]! - 1]! / (2 * Math.PI);
  const again: (() => void)[] = [];
  let chosen = 0;
  const { low, high } = now.bounds;
  const room = 0.08 * Math.max(high[0] - low[0], high[1] - low[1]);
  return {
    what: `mode of the ${now.what}`,
    abscissa: { name: 'phase', unit: '°', values: phases },
    bounds: { low: [low[0] - room, low[1] - room], high: [high[0] + room, high[1] + room] },
    ...(now.space ? { space: true } : {}),
    switches: (now.switches ?? []).filter((s) => s.key === 'labels' || s.key === 'points'),
    draw: (pen, view, at, show) => now?.draw(pen, view, at, { ...show, colour: null }),
    readouts: () => [['frequency', `${short(hertz(chosen), 4)} Hz`]],
    pace: 360 / seconds, start: 90, repeat: true,
    note: 'The amplitude of a mode is not known: the drawing has one that is easy to see.',
    choices: [{
      label: 'Mode', options: modes.map((m, k) => `${m}: ${short(hertz(k), 4)} Hz`), chosen: () => chosen,
      pick: (k) => {
        [chosen, now] = [k, actor(k)];
        for (const one of again) one();
      },
    }],
    changed: (one) => void again.push(one),
  };
}
