import type { FileStore } from './file-store.ts';
import type { Hooks } from './hooks.ts';
import type { Fact, Hook } from './message.ts';
import type { HookRequest } from './wire.ts';

/** Webhooks that must arrive: kept before they set off, forgotten once taken. */
export interface Outbox {
  /** `messageId`: what the person wrote, which has arrived once this is taken. */
  send(key: string, request: HookRequest, messageId?: string): Promise<void>;
}

export function createOutbox(
  record: (fact: Fact) => void,
  hooks: Hooks,
  files: FileStore,
  newId: () => string,
): Outbox {
  return {
    send: async (key, { url, headers, body }, messageId) => {
      const hook: Hook = {
        id: newId(),
        message_id: messageId ?? null,
        key,
        url,
        headers,
        body: await kept(body, files),
      };
      record({ fact: 'hook', hook });
      await hooks.deliver(hook);
    },
  };
}

async function kept(body: string | Buffer, files: FileStore): Promise<Hook['body']> {
  if (typeof body === 'string') return { text: body };
  const { id } = await files.put(body, { name: 'mail.eml', media_type: 'message/rfc822' });
  return { file: id };
}

/** Those of an earlier life that were not taken. */
export function undelivered(facts: readonly Fact[]): Hook[] {
  const waiting = new Map<string, Hook>();
  for (const fact of facts) {
    if (fact.fact === 'hook') waiting.set(fact.hook.id, fact.hook);
    if (fact.fact === 'hook_done') waiting.delete(fact.id);
  }
  return [...waiting.values()];
}
