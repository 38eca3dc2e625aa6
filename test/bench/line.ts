import type { Undo } from './undo.ts';

/** What a line of the table is measured on. */
export interface Bench {
  bus: 'rabbitmq' | 'postgres';
  /** In turns: the system, its floor, the system, its floor ... A figure is the median of them. */
  rounds: number;
  /** How many active renewals there are where it depends on that. */
  renewals: number;
  /** How many rows a CSV file has. */
  rows: number;
  /** How long the memory is looked at under load. */
  minutes: number;
  /** What the line opens and starts is undone after it, whatever becomes of it. */
  undo: Undo;
}

/** What is asked of the system's figure, or of how it compares with its floor. */
export interface Aim {
  of: 'system' | 'ratio';
  atLeast?: number;
  atMost?: number;
}

export interface Figure {
  what: string;
  unit: string;
  system: number;
  floor?: number;
  aim?: Aim;
  /** Whatever else belongs to it: what it is made of, how the floor differs. */
  told?: string;
}

/** One line of the table: something the system does, beside the least that any program would need to do it. */
export interface Line {
  name: string;
  title: string;
  /** What stands beside it. */
  floor: string;
  /** About how long it measures, in minutes. */
  minutes: number;
  measure(bench: Bench): Promise<Figure[]>;
}
