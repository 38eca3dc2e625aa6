import type { AlertPlan, Template } from '../api/types.ts';
import { deedInWords } from '../renewals/outreach-words.ts';
import { channels } from './template-names.ts';

export type Channel = Template['channel'];
export type Plan = Pick<AlertPlan, 'steps' | 'fall_through' | 'quiet_hours'>;
export type Step = Plan['steps']['90'];

export type OutreachStep = Step['outreach'][number];

/** The step at that place, changed. */
export const withStep = (steps: readonly OutreachStep[], at: number, by: Partial<OutreachStep>): OutreachStep[] =>
  steps.map((step, n) => (n === at ? { ...step, ...by } : step));

/** Which step comes when, in words. */
export const followedBy = (steps: readonly OutreachStep[]) =>
  steps.map((step) => ({ after_days: step.after_days, does: deedInWords(step) }));

/** What the form changes of a plan. */
export const planOf = ({ steps, fall_through, quiet_hours }: AlertPlan): Plan => ({ steps, fall_through, quiet_hours });

/** The same channel once more takes it out; they stand in one order, however they were chosen. */
export const toggled = (chosen: readonly Channel[], channel: Channel): Channel[] =>
  channels.filter((one) => (one === channel) !== chosen.includes(one));

/** One place up (-1) or down (1), where there is one. */
export function moved<T>(list: readonly T[], one: T, by: -1 | 1): T[] {
  const from = list.indexOf(one);
  const to = from + by;
  if (from < 0 || to < 0 || to >= list.length) return [...list];
  const next = list.filter((other) => other !== one);
  next.splice(to, 0, one);
  return next;
}

/** Begins where most people want it. */
export const usualQuietHours = { from: '20:00', until: '08:00' };
