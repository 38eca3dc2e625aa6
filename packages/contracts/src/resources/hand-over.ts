import { z } from 'zod';
import { flag, subject } from '../text.ts';

/** So many go in one transaction. */
export const mostHandedOver = 200;

/** All that was given to one agent goes to another, or to nobody. */
export const handOver = z
  .strictObject({ from: subject, assigned_agent: subject.nullable() })
  .refine(({ from, assigned_agent }) => from !== assigned_agent, {
    path: ['assigned_agent'],
    message: 'must be somebody else',
  })
  .meta({ id: 'HandOver' });
export type HandOver = z.infer<typeof handOver>;

export const handOverQuery = z.strictObject({
  dry_run: flag.optional().meta({ description: '`true`: nothing is handed over, `left` says how many there are' }),
});
export type HandOverQuery = z.infer<typeof handOverQuery>;

export const handedOver = z
  .object({
    handed_over: z
      .int()
      .min(0)
      .meta({ description: `${mostHandedOver} at once at most` }),
    left: z.int().min(0).meta({ description: 'How many are still theirs: asked again, it goes on with those' }),
  })
  .meta({ id: 'HandedOver' });
export type HandedOver = z.infer<typeof handedOver>;
