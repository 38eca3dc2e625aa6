import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, recordId } from '../text.ts';
import { retentionPolicy, retentionSubject } from './retention.ts';

const days = z.int().min(1);

/** What cannot be taken back: one admin proposes it, another confirms it, and it takes effect a day later. */
export const proposal = z
  .object({
    id: recordId,
    kind: z.enum(['RETENTION', 'ERASURE']).meta({
      description: '`RETENTION`: something is to be kept for less long. `ERASURE`: a customer is to be erased',
    }),
    customer_id: customerId.nullable().meta({ description: 'Of an `ERASURE`: whose' }),
    status: z.enum(['PROPOSED', 'CONFIRMED', 'CALLED_OFF', 'DONE', 'DECLINED', 'EXPIRED']).meta({
      description:
        'Until it is `DONE` any admin may call it off. `DECLINED`: when its day had passed it could not be so any more. `EXPIRED`: nobody confirmed it for a week',
    }),
    keep_days: z.partialRecord(retentionSubject, z.object({ from: days, to: days })).meta({
      description:
        'Of a `RETENTION`: what is to be kept for less long, as it was when that was proposed and as it is to be',
    }),
    proposed_by: z.string(),
    proposed_at: instant,
    confirmed_by: z
      .string()
      .nullable()
      .meta({ description: 'null: nobody yet, or nobody has to (`OPS_SECOND_PERSON=off`)' }),
    effective_at: instant.nullable().meta({ description: 'When it takes effect, unless it is called off' }),
    ended_by: z.string().nullable().meta({ description: 'Who called it off' }),
    ended_at: instant.nullable(),
    reason: z.string().nullable().meta({ description: 'Why it was `DECLINED`' }),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof proposal>;

export const proposalPage = pageOf(proposal).meta({ id: 'ProposalPage' });
export const proposalQuery = z.strictObject(pageQuery);

export const savedRetention = retentionPolicy
  .extend({
    proposal: proposal
      .nullable()
      .meta({ description: 'What of it shortens something, and waits for a second person and a day' }),
  })
  .meta({ id: 'SavedRetention', description: 'What is in effect' });
export type SavedRetention = z.infer<typeof savedRetention>;
