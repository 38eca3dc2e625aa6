import type { components } from './schema.gen.ts';

type Schemas = components['schemas'];

export type Attachment = Schemas['Attachment'];
export type Communication = Schemas['Communication'];
export type ComplianceFlag = Schemas['ComplianceFlag'];
export type Customer = Schemas['Customer'];
export type Me = Schemas['Me'];
export type TimelineEvent = Schemas['TimelineEvent'];
