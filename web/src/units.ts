/* units.ts — from the SI units of a result to the units a person reads.
 *
 * One table: SI unit, name of the quantity, and the units it may be shown in with their size in SI. The unit
 * is chosen by the largest value shown, so that numbers lie between 1 and 1000 where the table allows.
 */

export interface DisplayUnit {
  text: string; /* as printed; "" = pure number */
  size: number; /* in SI: shown value = SI value / size */
  also?: DisplayUnit; /* read in this unit as well; its size is in SI, too */
}

interface Entry {
  quantity: string;
  /* From small to large: name, size in SI, and from which size on it is taken when that is not its own. */
  units: [string, number, number?][];
  also?: DisplayUnit;
}

const degree = Math.PI / 180;

const table: Record<string, Entry> = {
  's': { quantity: 'time', units: [['µs', 1e-6], ['ms', 1e-3], ['s', 1, 0.1], ['h', 3600, 7200]] },
  'm': { quantity: 'displacement', units: [['nm', 1e-9], ['µm', 1e-6], ['mm', 1e-3], ['m', 1]] },
  'm/s': { quantity: 'velocity', units: [['mm/s', 1e-3], ['m/s', 1, 0.5]] },
  'm/s2': { quantity: 'acceleration', units: [['m/s²', 1]] },
  'N': { quantity: 'force', units: [['mN', 1e-3], ['N', 1], ['kN', 1e3, 1e4], ['MN', 1e6, 1e7]] },
  'N m': { quantity: 'torque', units: [['N mm', 1e-3], ['N m', 1, 0.1], ['kN m', 1e3, 1e4]] },
  'N s': { quantity: 'impulse', units: [['N s', 1]] },
  'N/m': { quantity: 'stiffness', units: [['N/m', 1], ['N/mm', 1e3], ['kN/mm', 1e6]] },
  'line': { quantity: 'line load', units: [['N/m', 1], ['N/mm', 1e3]] },
  'N s/m': { quantity: 'damping', units: [['N s/m', 1], ['kN s/m', 1e3]] },
  'N m/rad': { quantity: 'torsional stiffness', units: [['N m/rad', 1], ['kN m/rad', 1e3]] },
  'J': { quantity: 'energy', units: [['µJ', 1e-6], ['mJ', 1e-3], ['J', 1], ['kJ', 1e3, 1e4], ['MJ', 1e6, 1e7]] },
  'W': { quantity: 'power', units: [['mW', 1e-3], ['W', 1], ['kW', 1e3, 1e4]] },
  'Pa': { quantity: 'pressure', units: [['Pa', 1], ['kPa', 1e3], ['MPa', 1e6], ['GPa', 1e9]] },
  'kg': { quantity: 'mass', units: [['g', 1e-3], ['kg', 1], ['t', 1e3]] },
  'kg m2': { quantity: 'moment of inertia', units: [['kg mm²', 1e-6], ['kg m²', 1]] },
  'rad': { quantity: 'angle', units: [['°', degree]] },
  'rad/s': { quantity: 'angular velocity', units: [['rad/s', 1]] },
  'rad/s2': { quantity: 'angular acceleration', units: [['rad/s²', 1]] },
  'shaft': { quantity: 'speed', units: [['rpm', Math.PI / 30]] },
  'omega': { quantity: 'angular frequency', units: [['rad/s', 1]], also: { text: 'Hz', size: 2 * Math.PI } },
  '1/m': { quantity: 'curvature', units: [['1/m', 1]] },
  'm/rad': { quantity: 'take-up', units: [['mm/°', 1e-3 / degree]] },
  'N/m2': { quantity: 'stress', units: [['Pa', 1], ['kPa', 1e3], ['MPa', 1e6], ['GPa', 1e9]] },
  'Hz': { quantity: 'frequency', units: [['Hz', 1], ['kHz', 1e3]] },
  'K': { quantity: 'temperature', units: [['K', 1]] },
  '': { quantity: 'value', units: [['', 1]] },
};

/* rad/s of something that turns on and on, which people count in revolutions. */
export const shaftSpeed = 'shaft';

/* rad/s of an oscillation, which people also read in Hz. */
export const angularFrequency = 'omega';
export const isAngularFrequency = (name: string, longName: string): boolean => /(^|[._])(angular_frequency|angular_frequency)(_|\.|$)/.test(name) || /angular_frequency|angular frequency/i.test(longName);

/* N/m of a force spread over a length, not of a spring. */
export const lineLoad = 'line';

/* The unit that the result file has. */
export const storedUnit = (unit: string): string => (unit === shaftSpeed || unit === angularFrequency ? 'rad/s' : unit === lineLoad ? 'N/m' : unit);

/* Spellings of the same unit that occur in results. */
const aliases: Record<string, string> = { '1': '', 'N.m': 'N m', 'N*m': 'N m', 'kg.m2': 'kg m2', 'm/s^2': 'm/s2' };

const pretty = (unit: string): string =>
  unit.replace(/\^?(-?\d+)(?=$|[\s/*.)])/g, (all, digits: string, at: number, whole: string) =>
    at > 0 && /[A-Za-z]/.test(whole[at - 1]!)
      ? digits.replace(/-/g, '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(d)]!)
      : all,
  );

/* A unit that is not SI itself ("mm" in an atlas entry) stays as it is, but its quantity is known. */
function entryOf(unit: string): Entry {
  const known = table[aliases[unit] ?? unit];
  if (known) return known;
  const shown = Object.values(table).find((e) => e.units.some(([text]) => text === unit));
  return { quantity: shown?.quantity ?? '', units: [[pretty(unit), 1]] };
}

/* Word for what a unit measures; "" when it does not tell. */
export const quantityOf = (unit: string): string => entryOf(unit).quantity;

/* The unit in which values up to `largest` (SI, absolute) read best. */
export function displayUnit(unit: string, largest: number): DisplayUnit {
  const { units, also } = entryOf(unit);
  let best = units.findIndex(([, size]) => size === 1);
  if (best < 0) best = units.length - 1;
  /* What is far below the smallest unit is rounding: the plain SI unit with an exponent says so best. */
  if (largest > units[0]![1] * 1e-3 && Number.isFinite(largest))
    units.forEach(([, size, from], i) => {
      if (i === 0 || largest >= (from ?? size) * 0.9999) best = i;
    });
  const [text, size] = units[best]!;
  return { text, size, ...(also ? { also } : {}) };
}

/* "tension [N]"; the bracket is left out for pure numbers. */
export const withUnit = (name: string, unit: DisplayUnit): string => (unit.text ? `${name} [${unit.text}]` : name);
