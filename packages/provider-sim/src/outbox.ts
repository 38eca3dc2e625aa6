import type { FileStore } from './file-store.ts';
import type { Hooks } from './hooks.ts';
import type { Fact, Hook } from './message.ts';
import type { HookRequest } from './wire.ts';

/** Webhooks that must arrive: kept before they set off, forgotten once taken. */
export interface Outbox {
  /** Ready to go. `messageId`: what the person wrote, which has arrived once this is taken. */
  prepare(key: string, request: HookRequest, messageId?: string): Promise<Hook>;
  /** Kept, together with what they tell of, when it returns; resolves once the firm has them. */
  send(hooks: readonly Hook[], told?: readonly Fact[]): Promise<void>;
}

export function createOutbox(
  record: (...facts: Fact[]) => void,
  hooks: Hooks,
  files: FileStore,
  newId: () => string,
): Outbox {
  return {
    prepare: async (key, { url, headers, body }, messageId) => ({
      id: newId(),
      message_id: messageId ?? null,
      key,
      url,
      headers,
      body: await kept(body, files),
    }),
    send: async (prepared, told = []) => {
      record(...told, ...prepared.map((hook) => ({ fact: 'hook' as const, hook })));
      await Promise.all(prepared.map(hooks.deliver));
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
