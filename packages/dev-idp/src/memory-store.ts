import type { Adapter, AdapterPayload } from 'oidc-provider';

interface Entry {
  payload: AdapterPayload;
  expiresAt: number;
}

/**
 * Sign-ins and codes under way, in memory: a restart only asks people to pick themselves again, since access tokens
 * need nothing but the signing key.
 */
export function createMemoryStore(now: () => number = Date.now): (model: string) => Adapter {
  const entries = new Map<string, Entry>();
  const live = (key: string) => {
    const entry = entries.get(key);
    return entry && entry.expiresAt > now() ? entry.payload : undefined;
  };
  const first = (matches: (payload: AdapterPayload) => boolean, model: string) => {
    for (const key of entries.keys()) {
      const payload = key.startsWith(`${model}:`) ? live(key) : undefined;
      if (payload && matches(payload)) return payload;
    }
    return undefined;
  };
  const removeWhere = (matches: (entry: Entry) => boolean) => {
    for (const [key, entry] of entries) if (matches(entry)) entries.delete(key);
  };
  return (model) => ({
    async upsert(id, payload, expiresIn) {
      removeWhere((entry) => entry.expiresAt <= now());
      entries.set(`${model}:${id}`, { payload, expiresAt: expiresIn ? now() + expiresIn * 1000 : Infinity });
    },
    find: async (id) => live(`${model}:${id}`),
    findByUid: async (uid) => first((payload) => payload.uid === uid, model),
    findByUserCode: async (code) => first((payload) => payload.userCode === code, model),
    async consume(id) {
      const payload = live(`${model}:${id}`);
      if (payload) payload.consumed = Math.floor(now() / 1000);
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      removeWhere((entry) => entry.payload.grantId === grantId);
    },
  });
}
