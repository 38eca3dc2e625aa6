import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { role } from '../roles.ts';
import { instant, recordId } from '../text.ts';

const value = z.unknown().meta({ description: 'As the resource has it; null: there was none' });

export const auditEntry = z
  .object({
    id: recordId,
    at: instant,
    actor: z.string().meta({ description: 'Who did it: the subject of their token' }),
    role,
    client: z.string().nullable().meta({ description: 'The application they did it with, where their token names it' }),
    request_id: z.string(),
    action: z.string().meta({ description: 'The operation of this API that was asked for', example: 'putCustomer' }),
    changes: z
      .array(z.object({ field: z.string(), old: value, new: value }))
      .nullable()
      .meta({ description: 'What the resource was before, and since; null: that was removed' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = pageOf(auditEntry).meta({ id: 'AuditPage' });
export const auditQuery = z.strictObject(pageQuery);
