import { z } from 'zod';
import { role } from '../roles.ts';
import { instant } from '../text.ts';

export const me = z
  .object({
    sub: z.string(),
    name: z.string().nullable(),
    role,
    expires_at: instant,
    csrf_token: z
      .string()
      .nullable()
      .meta({ description: 'Send as X-CSRF-Token on changes made with the session cookie' }),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof me>;
