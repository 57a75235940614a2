/* toy_drive.ts — a drive that nobody has, as one adds a drive with a page: this file, and two lines in drives/registry.ts. It has a
 * moving picture, a key figure and a section. tests/web/browser_toy.mjs registers and shows it; it is in no page that is shipped. */
import type { Group, Report, Values } from '../src/data';
import { valuesOf } from '../src/data';
import { el } from '../src/dom';
import type { Drive } from '../src/drives/drive';
import { columnIn, figure, type FigureMaker } from '../src/figure';
import type { Actor, Pen, View } from '../src/stage';
import { quantity } from '../src/tables';

const forceOf = (report: Report, group: Group) => (report.drive === 'toy' && group.table?.rows ? columnIn(group, 'tensioner.force') : undefined);

const figures: FigureMaker = (group, report) => {
  const force = forceOf(report, group);
  return force?.stats ? figure('Toy', 'largest force of the toy', force.stats.max, force.unit) : [];
};

/* A dot that goes up and down with the force. */
class Dot implements Actor {
  what = 'toy';
  abscissa: Actor['abscissa'];
  bounds: Actor['bounds'] = { low: [-1, -1], high: [1, 1] };
  pace = 1;

  constructor(time: Values, private force: Values, private most: number) {
    this.abscissa = { name: 'time', unit: 's', values: time };
  }

  draw(pen: Pen, view: View, at: number): void {
    pen.group('toy', () => pen.circle(view.px([0, this.force[Math.round(at)]! / this.most]), 12, { stroke: '#0067a5' }));
  }

  readouts(at: number): [string, string][] {
    return [['force of the toy', quantity(this.force[Math.round(at)]!, 'N')]];
  }
}

export const toy: Drive = {
  name: 'toy',
  title: 'Toy for tests',
  figures: [figures],
  stage: [(report, group) => {
    const force = forceOf(report, group);
    return force?.stats ? new Dot(valuesOf(group.table!.columns[0]!), valuesOf(force), Math.max(Math.abs(force.stats.min), Math.abs(force.stats.max))) : null;
  }],
  sections: (report, group) => (forceOf(report, group) ? [el('h3', {}, 'What the toy says')] : []),
};
