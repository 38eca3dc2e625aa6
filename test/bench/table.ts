import type { Aim, Figure, Line } from './line.ts';

export interface Row extends Figure {
  line: string;
  ratio?: number;
  met?: boolean;
}

/** How the system's figure compares with its floor's, and whether that is what is asked. */
export function rowOf({ name }: Line, figure: Figure): Row {
  const ratio = figure.floor === undefined ? {} : { ratio: figure.system / figure.floor };
  const row = { line: name, ...figure, ...ratio };
  return figure.aim ? { ...row, met: isMet(figure.aim, row) } : row;
}

function isMet({ of, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Aim, row: Row): boolean {
  const value = row[of] ?? Number.NaN;
  return value >= atLeast && value <= atMost;
}

const heads = ['', 'system', 'floor', 'ratio', 'aim', ''];

/** As plain text: the figures first, then what was told of them. */
export function printed(rows: readonly Row[], lines: readonly Line[]): string {
  const cells = [heads, ...rows.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const table = cells.map((row) =>
    row
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const told = rows.filter(({ told }) => told).map((row) => `${row.what}: ${row.told}`);
  const floors = lines.map(({ title, floor }) => `${title}; beside it ${floor}`);
  return [...table, '', ...told, '', ...floors].join('\n');
}

function cellsOf({ what, unit, system, floor, ratio, aim, met }: Row): string[] {
  const beside = floor === undefined ? '-' : `${rounded(floor)} ${unit}`;
  const compared = ratio === undefined ? '-' : rounded(ratio);
  return [
    what,
    `${rounded(system)} ${unit}`,
    beside,
    compared,
    aim ? inWords(aim, unit) : '-',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

const inWords = ({ of, atLeast, atMost }: Aim, unit: string) =>
  `${atLeast === undefined ? '<=' : '>='} ${atLeast ?? atMost}${of === 'system' ? ` ${unit}` : ''}`;

/** To three figures that mean something. */
const rounded = (value: number): string => (Number.isFinite(value) ? Number(value.toPrecision(3)).toString() : '?');
