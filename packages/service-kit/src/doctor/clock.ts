import { failed, type Line, ok, warning } from './finding.ts';

/** Internal tokens live a minute and are believed 5 s beyond it. */
const [warnAfterMs, failAfterMs] = [5_000, 30_000];

/** What another clock said, and when ours was asked and answered. */
export interface ClockReading {
  theirs: number;
  asked: number;
  answered: number;
  /** How finely the other clock tells the time. */
  resolutionMs: number;
}

/** How far our clock is ahead at least: what the way there and back, and rounding, may explain is left out. */
export function aheadBy({ theirs, asked, answered, resolutionMs }: ClockReading): number {
  if (asked > theirs + resolutionMs) return asked - theirs - resolutionMs;
  return Math.min(0, answered - theirs);
}

export function clockLine(name: string, whose: string, reading: ClockReading): Line {
  const ahead = aheadBy(reading);
  const away = Math.abs(ahead);
  if (away <= warnAfterMs) return ok(name, `agrees with ${whose}`);
  const said = `${(away / 1000).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'} ${whose}`;
  const fix =
    'let every machine take its time from NTP (timedatectl set-ntp true); tokens between processes live one minute';
  return away > failAfterMs ? failed(name, said, fix) : warning(name, said, fix);
}
