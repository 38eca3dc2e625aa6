import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { roles } from '../roles.ts';
import { customerId, instant, recordId, text } from '../text.ts';

const value = z.unknown().meta({ description: 'As the resource has it; null: there was none' });

export const auditEntry = z
  .object({
    id: recordId,
    at: instant,
    actor: z.string().meta({ description: 'Who did it: the subject of their token' }),
    role: z
      .enum([...roles, 'nobody'])
      .meta({ description: '`nobody`: who was refused at the gateway and did not show who they are' }),
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

/** One of all that was changed in a service, whatever it was. */
export const serviceAuditEntry = auditEntry
  .extend({
    subject: z.object({ kind: z.string(), id: z.string() }).meta({ description: 'What was changed' }),
    customer_id: z.string().nullable().meta({ description: 'Whom it is about; null: nobody' }),
  })
  .meta({ id: 'ServiceAuditEntry' });
export type ServiceAuditEntry = z.infer<typeof serviceAuditEntry>;

export const serviceAuditPage = pageOf(serviceAuditEntry).meta({ id: 'ServiceAuditPage' });

const filters = {
  customer_id: customerId.optional(),
  actor: text(1, 200).optional().meta({ description: 'The subject of their token' }),
  action: text(1, 100).optional().meta({ description: 'The operation of this API', example: 'putCustomer' }),
  from: instant.optional().meta({ description: 'Changed then or later' }),
  to: instant.optional().meta({ description: 'Changed before then' }),
};
export const auditFilter = z.strictObject(filters);
export type AuditFilter = z.infer<typeof auditFilter>;
export const serviceAuditQuery = z.strictObject({ ...pageQuery, ...filters });
export type ServiceAuditQuery = z.infer<typeof serviceAuditQuery>;
