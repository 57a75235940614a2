/* body_figures.ts — key figures of rolling bodies and of planar bodies in contact. */
import { contactForces, contactSlips, isResidue } from '../../contacts';
import { valuesOf, type Group } from '../../data';
import { columnIn, duration, figure, largestSize, numberIn, sizeOfColumn, word, type FigureMaker, type KeyFigure } from '../../figure';
import { number } from '../../format';
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
    return length < 1e-9 ? [] : figure(of, `path of ${c.name.split('.')[0]}`, length, 'm', { at: `in ${quantity(duration(group), 's')}` });
  });
}

export const rollingFigures: FigureMaker = (group, report) => {
  const channels = group.table?.rows ? group.table.columns.slice(1) : [];
  if (report.drive === 'bodies' || !group.table || !contactSlips(channels).length) return [];
  const [forces, slips] = [contactForces(channels), contactSlips(channels)];
  const holds = slips.every((c) => sizeOfColumn(c) === 0 || isResidue(c, channels));
  const residual = group.audit?.residual;
  return [
    ...paths(group),
    ...largestSize(of, 'largest contact force', forces),
    ...(holds && slips.length ? word(of, 'rolls', 'without slip', { at: `constraints within ${number(Math.max(0, ...slips.map(sizeOfColumn)), 2)} m/s` }) : largestSize(of, 'largest slip velocity', slips)),
    ...largestSize(of, 'largest speed of turning', channels.filter((c) => /\.(turn|w[123])$/.test(c.name))),
    ...(residual === null || residual === undefined ? [] : figure(of, 'energy residual', Math.abs(residual), '', { digits: 2, at: 'of the energy in motion' })),
  ];
};

export const bodyFigures: FigureMaker = (group, report) => {
  if (report.drive !== 'bodies' || group.kind !== 'transient' || !group.table?.rows) return [];
  const columns = group.table.columns;
  const n = columns.filter((c) => /^[^.]+\.angle$/.test(c.name)).length;
  const missed = numberIn(group, 'contact.missed');
  return [
    ...word(of, 'bodies', String(n), { at: `${quantity(duration(group), 's')} of motion` }),
    ...figure(of, 'most contacts at once', numberIn(group, 'contact.closed.most'), '', { at: `mean ${number(numberIn(group, 'contact.closed'), 3)}` }),
    ...largestSize(of, 'largest normal force', columns.filter((c) => /\.force\.normal$/.test(c.name)), { at: (c) => c.name.replace(/\.force\.normal$/, '') }),
    ...largestSize(of, 'fastest', columns.filter((c) => /\.v[xy]$/.test(c.name))),
    ...figure(of, 'contact residual', numberIn(group, 'contact.residual'), '', { digits: 2, at: missed ? `${missed} steps not solved` : 'every step solved', warn: !!missed }),
  ];
};
