import type Provider from 'oidc-provider';
import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import { type Person, personInRole } from './people.ts';

/** A token for a person in a role, without a browser: what `npm run token` asks for. Only the token client may. */
export const demoPersonGrant = 'urn:ops:grant:demo-person';

/** Undefined unless this request is a demo-person grant that names somebody. */
export function personAskedFor(ctx: KoaContextWithOIDC): Person | undefined {
  const { grant_type, role, sub } = ctx.oidc.params ?? {};
  if (grant_type !== demoPersonGrant) return undefined;
  return personInRole(String(role), typeof sub === 'string' && sub !== '' ? sub : undefined);
}

export function registerDemoPersonGrant(provider: Provider, resource: string, server: ResourceServer): void {
  provider.registerGrantType(
    demoPersonGrant,
    async (ctx) => {
      const person = personAskedFor(ctx);
      if (!person) throw new errors.InvalidRequest('role must be a known role; customer needs the customer id as sub');
      const token = new provider.AccessToken({
        client: ctx.oidc.client,
        accountId: person.sub,
        resourceServer: new provider.ResourceServer(resource, server),
        grantId: demoPersonGrant,
        gty: demoPersonGrant,
      });
      ctx.body = { access_token: await token.save(), expires_in: token.expiration, token_type: 'Bearer' };
    },
    ['role', 'sub'],
  );
}
