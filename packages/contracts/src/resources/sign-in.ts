import { z } from 'zod';
import { instant, recordId } from '../text.ts';

/** Of one person: that they are signed in with a browser, from when on and until when. */
export const signIn = z
  .object({
    id: recordId,
    began_at: instant,
    signed_in_at: instant.nullable().meta({
      description: 'When the person last showed who they are; null: the identity provider does not say',
    }),
    used_at: instant.meta({ description: 'To a minute' }),
    ends_at: instant,
    browser: z.string().meta({ description: 'As it calls itself (`User-Agent`)' }),
    address: z.string(),
    current: z.boolean().meta({ description: 'The one that asks' }),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof signIn>;

export const signIns = z.object({ data: z.array(signIn) }).meta({ id: 'SignIns' });
export type SignIns = z.infer<typeof signIns>;

export const endedSignIns = z.object({ ended: z.int().min(0) }).meta({ id: 'EndedSignIns' });
export type EndedSignIns = z.infer<typeof endedSignIns>;
