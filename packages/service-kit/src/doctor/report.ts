import { styleText } from 'node:util';
import type { Examined, Line } from './finding.ts';

const marks = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;
const colours = { ok: 'green', warning: 'yellow', failed: 'red' } as const;
const width = 9;

/** A line for each check, a second one for what to do; coloured on a terminal only. */
export const textOf = (examined: readonly Examined[]): string =>
  [...examined.map(groupOf), summaryOf(examined)].join('\n\n');

const groupOf = ({ process, checks }: Examined) => [process, ...checks.map(lineOf)].join('\n');

function lineOf(line: Line): string {
  const mark = styleText(colours[line.status], marks[line.status].padEnd(width));
  const told = `  ${mark}${line.name}: ${oneLine(line.said)}`;
  return line.status === 'ok' ? told : `${told}\n  ${' '.repeat(width)}fix: ${oneLine(line.fix)}`;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

const countOf = (examined: readonly Examined[], status: Line['status']) =>
  examined.flatMap(({ checks }) => checks).filter((line) => line.status === status).length;

function summaryOf(examined: readonly Examined[]): string {
  const [fine, warnings, failures] = (['ok', 'warning', 'failed'] as const).map((status) => countOf(examined, status));
  return `${failures} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${fine} ok`;
}

export const passed = (examined: readonly Examined[]): boolean => countOf(examined, 'failed') === 0;

/** For machines. */
export const jsonOf = (examined: readonly Examined[]): string =>
  JSON.stringify({ ok: passed(examined), processes: examined });
