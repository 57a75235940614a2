/* body_figures.ts — key figures of rolling bodies and of planar bodies in contact. */
import { contactForces, contactSlips, isResidue } from '../../contacts';
import { valuesOf, type Column, type Group } from '../../data';
import { columnIn, duration, extreme, figure, largestSize, numberIn, sizeOfColumn, textIn, word, type FigureMaker, type KeyFigure } from '../../figure';
import { number } from '../../format';
import { partsOf, plainName } from '../../names';
import { quantity } from '../../tables';

const of = 'Motion over time';

/* How long the path of a body is; of a table that has been thinned by columns nobody knows. */
function paths(group: Group): KeyFigure[] {
  if (group.table!.thinned === 'columns') return [];
  return group.table!.columns.filter((c) => /^[^.]+\.x$/.test(c.name)).slice(0, 2).flatMap((c) => {
    const [x, y] = [valuesOf(c), columnIn(group, c.name.replace(/x$/, 'y'))];
    if (!y) return [];
    const v = valuesOf(y);
    let length = 0;
    for (let i = 1; i < x.length; i++) length += Math.hypot(x[i]! - x[i - 1]!, v[i]! - v[i - 1]!);
    return length < 1e-9 ? [] : figure(of, `path of ${partsOf(c.name)[0]}`, length, 'm', { at: `in ${quantity(duration(group), 's')}` });
  });
}

/* Of each contact normal force and friction together, as pictures draw it; of a table whose channels were thinned one by one, row by row. */
function contactForce(group: Group, forces: Column[]): KeyFigure[] {
  if (group.table!.thinned === 'columns') return largestSize(of, 'largest component of a contact force', forces);
  const contacts = [...new Set(forces.map((c) => c.name.replace(/\.?force\.[^.]+$/, '')))];
  const found = contacts.map((name) => {
    const rows = forces.filter((c) => c.name.replace(/\.?force\.[^.]+$/, '') === name).map((c) => valuesOf(c));
    return { name, value: extreme(Array.from(rows[0]!, (_v, i) => Math.hypot(...rows.map((r) => r[i]!))))?.value ?? NaN, normal: rows.length > 1 && forces.some((c) => c.name === `${name}.force.normal`) };
  }).filter((f) => Number.isFinite(f.value)).sort((a, b) => b.value - a.value)[0];
  return found ? figure(of, 'largest contact force', found.value, 'N', { at: [plainName(found.name), found.normal ? 'normal force and friction together' : ''].filter(Boolean).join(', ') }) : [];
}

/* Time stepping knows impulses: what an impact takes in a step counts as a force over the step. */
function stepNormal(group: Group, columns: Column[]): KeyFigure[] {
  const channels = columns.filter((c) => /\.force\.normal$/.test(c.name));
  const contact = (c: Column): string => plainName(c.name).replace(/\.force\.normal$/, '');
  const steps = numberIn(group, 'steps');
  if (textIn(group, 'method') !== 'timestepping' || !steps) return largestSize(of, 'largest normal force', channels, { at: contact });
  const step = quantity(duration(group) / steps, 's', 2);
  return largestSize(of, 'largest normal force, mean of a step', channels, { at: (c) => `${contact(c)}; impulses of impacts included, each over its step of ${step}` });
}

export const rollingFigures: FigureMaker = (group, report) => {
  const channels = group.table?.rows ? group.table.columns.slice(1) : [];
  if (report.drive === 'bodies' || !group.table || !contactSlips(channels).length) return [];
  const [forces, slips] = [contactForces(channels), contactSlips(channels)];
  const holds = slips.every((c) => sizeOfColumn(c) === 0 || isResidue(c, channels));
  return [
    ...paths(group),
    ...contactForce(group, forces),
    ...(holds && slips.length ? word(of, 'rolls', 'without slip', { at: `constraints within ${number(Math.max(0, ...slips.map(sizeOfColumn)), 2)} m/s` }) : largestSize(of, 'largest slip velocity', slips)),
    ...largestSize(of, 'largest angular velocity', channels.filter((c) => /\.(angular_velocity|w[123])$/.test(c.name))),
  ];
};

export const bodyFigures: FigureMaker = (group, report) => {
  if (report.drive !== 'bodies' || group.kind !== 'transient' || !group.table?.rows) return [];
  const columns = group.table.columns;
  const n = columns.filter((c) => /^[^.]+\.angle$/.test(c.name)).length;
  const missed = numberIn(group, 'contact.missed');
  return [
    ...word(of, 'bodies', String(n), { at: `${quantity(duration(group), 's')} of motion` }),
    ...figure(of, 'largest number of closed contacts', numberIn(group, 'contact.closed.most'), '', { at: `mean ${number(numberIn(group, 'contact.closed'), 3)}` }),
    ...stepNormal(group, columns),
    ...largestSize(of, 'largest velocity', columns.filter((c) => /\.v[xy]$/.test(c.name))),
    ...(missed ? figure(of, 'steps not solved', missed, '', { warn: true, at: `contact residual up to ${number(numberIn(group, 'contact.residual') ?? NaN, 2)}` }) : []),
  ];
};
