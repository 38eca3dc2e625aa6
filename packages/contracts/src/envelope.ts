import { z } from 'zod';

/** CloudEvents 1.0 in JSON, with the trace that caused it. Parsed leniently: unknown attributes pass through. */
export const envelope = z
  .looseObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1).max(200),
    source: z.string().min(1).max(200),
    type: z.string().min(1).max(200),
    subject: z.string().min(1).max(200),
    time: z.iso.datetime({ offset: true }),
    datacontenttype: z.literal('application/json').optional(),
    traceparent: z.string().max(200).optional(),
    requestid: z.string().max(200).optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'CloudEvent' });

export interface Envelope<Type extends string = string, Data = Record<string, unknown>> {
  specversion: '1.0';
  id: string;
  source: string;
  type: Type;
  subject: string;
  time: string;
  datacontenttype?: 'application/json' | undefined;
  traceparent?: string | undefined;
  requestid?: string | undefined;
  data: Data;
}
