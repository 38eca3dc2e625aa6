import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Alert = Schemas['Alert'];
export type AlertOutcome = Schemas['AlertOutcome'];
export type Attachment = Schemas['Attachment'];
export type Communication = Schemas['Communication'];
export type ComplianceFlag = Schemas['ComplianceFlag'];
export type CsvImport = Schemas['CsvImport'];
export type Customer = Schemas['Customer'];
/** One renewal of a dry run. */
export type Foreseen = Schemas['RefreshPreview']['data'][number];
export type ImportRow = Schemas['ImportRow'];
export type Me = Schemas['Me'];
export type QueuedRenewal = Schemas['QueuedRenewal'];
export type RefreshPreview = Schemas['RefreshPreview'];
export type RefreshRun = Schemas['RefreshRun'];
export type RefreshRunDetail = Schemas['RefreshRunDetail'];
export type Renewal = Schemas['Renewal'];
export type RenewalDetail = Schemas['RenewalDetail'];
export type Task = Schemas['Task'];
export type TimelineEvent = Schemas['TimelineEvent'];
