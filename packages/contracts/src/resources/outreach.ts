import { z } from 'zod';
import { preferredChannel } from './customer.ts';
import { taskPriority } from './task-priority.ts';

const channels = z
  .array(preferredChannel)
  .max(3)
  .meta({ description: 'One message: by the first of these that can be used, else by another as alerts fall through' });
const task = taskPriority
  .nullable()
  .meta({ description: 'Somebody is to call the customer; null: there is no task for it' });

/** What a later message of an alert does, where that is not what the alert itself does. */
export const deed = z.object({ channels, task });
export type Deed = z.infer<typeof deed>;

export const mostSteps = 6;

/** What follows an alert while the customer says nothing. */
const after_days = z.int().min(1).max(365).meta({ description: 'Counted from the night in which the alert fired' });
export const outreachStep = z.object({ after_days, channels, task });
export type OutreachStep = z.infer<typeof outreachStep>;

export const putOutreachStep = z.strictObject({ after_days, channels, task: task.default(null) });

/** Why a step did not go, or will not. */
export const skipReason = z.enum(['later_step', 'next_rung', 'answered', 'started', 'acknowledged', 'moved', 'closed']);
export type SkipReason = z.infer<typeof skipReason>;
