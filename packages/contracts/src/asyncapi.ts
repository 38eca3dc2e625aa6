import { z } from 'zod';
import { envelope } from './envelope.ts';
import { type EventSpec, events } from './events.ts';
import { upstreamEvent } from './resources/upstream-event.ts';

/** The AsyncAPI 3 document, generated from the catalogue of events. */
export function asyncApiDocument(): object {
  const all = Object.entries(events) as [string, EventSpec][];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Events of customer communications and renewals',
      version: '1.0.0',
      description:
        'CloudEvents 1.0 in JSON on one topic exchange; the routing key is the event type, with `.live` behind it ' +
        'for what only live screens need; the subject is whom or what it is about. ' +
        'Delivered at least once: a consumer drops an id it has seen. Fields may be added, so parse leniently.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(all.map(([type, spec]) => [channelId(type), channel(type, spec)])),
    operations: Object.fromEntries(all.flatMap(([type, spec]) => operationsOf(type, spec))),
    components: {
      securitySchemes: { broker: { type: 'userPassword', description: "The broker's own user" } },
      messages: Object.fromEntries(all.map(([type, spec]) => [channelId(type), message(type, spec)])),
    },
  };
}

const channelId = (type: string) => type.replaceAll('.', '_');

const channel = (type: string, spec: EventSpec) => ({
  address: type,
  description: spec.concerns ? `${spec.summary}. What concerns no queue comes as ${type}.live` : spec.summary,
  messages: { [channelId(type)]: { $ref: `#/components/messages/${channelId(type)}` } },
});

/** What upstream systems publish, the system takes; what they post, it publishes for them. */
const operationsOf = (type: string, spec: EventSpec): [string, object][] =>
  spec.publisher === 'upstream'
    ? [
        [`take_${channelId(type)}`, operation('receive', type, `upstream: ${spec.summary}`)],
        [
          `pass_on_${channelId(type)}`,
          operation('send', type, 'renewals-service: What came by POST /ops/events, as it came'),
        ],
      ]
    : [[`publish_${channelId(type)}`, operation('send', type, `${spec.publisher}: ${spec.summary}`)]];

const operation = (action: 'send' | 'receive', type: string, summary: string) => ({
  action,
  summary,
  channel: { $ref: `#/channels/${channelId(type)}` },
  security: [{ $ref: '#/components/securitySchemes/broker' }],
});

const message = (type: string, spec: EventSpec) => ({
  name: type,
  summary: spec.summary,
  contentType: 'application/cloudevents+json',
  payload: schemaOf(envelopeOf(spec).extend({ type: z.literal(type), data: spec.data })),
});

const envelopeOf = ({ publisher }: EventSpec) => (publisher === 'upstream' ? upstreamEvent : envelope);

/**
 * AsyncAPI takes JSON Schema as it is; `$schema` alone has no place inside a document. As input: what a consumer may get,
 * fields added later included.
 */
function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', reused: 'inline', io: 'input' });
  return rest;
}
