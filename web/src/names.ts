/* names.ts — names of channels: structured as in FMI, "element[3].push", "pulley.'AC pump'.slip".
 *
 * A part that is no word stands in quotes and a number in brackets. What belongs to a channel by its meaning is found by the plain parts,
 * "element.3.push" and "pulley.AC pump.slip", which are also the names that results of format version 1 hold. */

/* Plain parts of a name: without quotes, an index as a part of its own. */
export const partsOf = (name: string): string[] => [...name.matchAll(/'([^']*)'|\[(\d+|\*)\]|[^.'[\]]+/g)].map((m) => m[1] ?? m[2] ?? m[0]);

const known = new Map<string, string>();

export function plainName(name: string): string {
  let plain = known.get(name);
  if (plain === undefined) known.set(name, (plain = /['[]/.test(name) ? partsOf(name).join('.') : name));
  return plain;
}

/* What has a name, given in either way. */
export function byName<T extends { name: string }>(list: readonly T[] | undefined, name: string): T | undefined {
  const plain = plainName(name);
  return list?.find((c) => c.name === name) ?? list?.find((c) => plainName(c.name) === plain);
}
