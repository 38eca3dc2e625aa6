import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Alert = Schemas['Alert'];
export type AlertOutcome = Schemas['AlertOutcome'];
export type AlertPlan = Schemas['AlertPlan'];
export type Attachment = Schemas['Attachment'];
export type Communication = Schemas['Communication'];
export type ComplianceFlag = Schemas['ComplianceFlag'];
export type Customer = Schemas['Customer'];
export type DeadLetter = Schemas['DeadLetter'];
export type Me = Schemas['Me'];
export type QueuedRenewal = Schemas['QueuedRenewal'];
export type RefreshRun = Schemas['RefreshRun'];
export type RefreshRunDetail = Schemas['RefreshRunDetail'];
export type Renewal = Schemas['Renewal'];
export type RenewalDetail = Schemas['RenewalDetail'];
export type RetentionPolicy = Schemas['RetentionPolicy'];
export type RetentionRun = Schemas['RetentionRun'];
export type ServiceType = Schemas['ServiceType'];
export type Task = Schemas['Task'];
export type Template = Schemas['Template'];
export type TimelineEvent = Schemas['TimelineEvent'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookDeliveryDetail = Schemas['WebhookDeliveryDetail'];
