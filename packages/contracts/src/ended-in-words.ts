import type { EventData } from './events.ts';

const words = {
  policy: (id: string) => `policy ${id} was cancelled`,
  residence_permit: (id: string) => `residence permit ${id} was withdrawn`,
  work_permit: (id: string) => `work permit ${id} ended`,
};

/** What upstream says of a policy or permit that is over before its time; nothing in it begins with a capital. */
export const endedInWords = ({ kind, id }: EventData<'renewal.source_ended'>['source']): string => words[kind](id);
