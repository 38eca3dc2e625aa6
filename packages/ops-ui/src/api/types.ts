import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Alert = Schemas['Alert'];
export type AlertOutcome = Schemas['AlertOutcome'];
export type AlertPlan = Schemas['AlertPlan'];
export type Attachment = Schemas['Attachment'];
export type Communication = Schemas['Communication'];
export type ComplianceFlag = Schemas['ComplianceFlag'];
<<<<<<< HEAD
export type CreateTask = Schemas['CreateTask'];
export type Customer = Schemas['Customer'];
export type DeadLetter = Schemas['DeadLetter'];
export type LinkResult = Schemas['LinkResult'];
=======
export type CsvImport = Schemas['CsvImport'];
export type Customer = Schemas['Customer'];
/** One renewal of a dry run. */
export type Foreseen = Schemas['RefreshPreview']['data'][number];
export type ImportRow = Schemas['ImportRow'];
>>>>>>> b09da6855eb2678a832dd1486eba89463ed1a5bf
export type Me = Schemas['Me'];
export type PatchTask = Schemas['PatchTask'];
export type QueuedRenewal = Schemas['QueuedRenewal'];
<<<<<<< HEAD
=======
export type RefreshPreview = Schemas['RefreshPreview'];
>>>>>>> b09da6855eb2678a832dd1486eba89463ed1a5bf
export type RefreshRun = Schemas['RefreshRun'];
export type RefreshRunDetail = Schemas['RefreshRunDetail'];
export type Renewal = Schemas['Renewal'];
export type RenewalDetail = Schemas['RenewalDetail'];
export type RetentionPolicy = Schemas['RetentionPolicy'];
export type RetentionRun = Schemas['RetentionRun'];
export type ServiceType = Schemas['ServiceType'];
export type Task = Schemas['Task'];
export type TaskPage = Schemas['TaskPage'];
export type Template = Schemas['Template'];
export type TimelineEvent = Schemas['TimelineEvent'];
export type Unmatched = Schemas['Unmatched'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryDetail = Schemas['WebhookDeliveryDetail'];
