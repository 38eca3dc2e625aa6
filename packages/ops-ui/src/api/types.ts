import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Alert = Schemas['Alert'];
export type AlertOutcome = Schemas['AlertOutcome'];
export type Attachment = Schemas['Attachment'];
export type Communication = Schemas['Communication'];
export type ComplianceFlag = Schemas['ComplianceFlag'];
export type CreateTask = Schemas['CreateTask'];
export type Customer = Schemas['Customer'];
export type LinkResult = Schemas['LinkResult'];
export type Me = Schemas['Me'];
export type PatchTask = Schemas['PatchTask'];
export type QueuedRenewal = Schemas['QueuedRenewal'];
export type Renewal = Schemas['Renewal'];
export type RenewalDetail = Schemas['RenewalDetail'];
export type Task = Schemas['Task'];
export type TaskPage = Schemas['TaskPage'];
export type TimelineEvent = Schemas['TimelineEvent'];
export type Unmatched = Schemas['Unmatched'];
