import type { Owners, OwnersOf } from '@ops/contracts/responsible';
import { OWNER } from '../renewals/renewal-columns.ts';

const isOneOf = (owner: string, owners: Owners, list: string): string =>
  'of' in owners ? `${owner} = ANY (CAST(:${list} AS text[]))` : `${owner} <> ALL (CAST(:${list} AS text[]))`;

const isOwned = (owner: string, isOpen: string, { open, closed }: OwnersOf): string =>
  `(${isOpen} AND ${isOneOf(owner, open, 'owners_of_open')}
    OR NOT ${isOpen} AND ${isOneOf(owner, closed, 'owners_of_closed')})`;

export const isOwnedBy = (owners: OwnersOf): string => isOwned(OWNER, '(r.closed_at IS NULL)', owners);

/** Of counts `c`, which have an owner and a status. */
export const isCountedFor = (owners: OwnersOf): string =>
  isOwned('c.owner', "(c.status NOT IN ('COMPLETED', 'CANCELLED'))", owners);

/** Those there are, each found from the one before by one look into the index, but for these. */
const OTHER_OWNERS = `
  WITH RECURSIVE every AS (
    (SELECT ${OWNER} AS owner FROM renewals r WHERE r.closed_at IS NULL ORDER BY ${OWNER} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${OWNER} FROM renewals r WHERE r.closed_at IS NULL AND ${OWNER} > every.owner ORDER BY ${OWNER} LIMIT 1)
    FROM every WHERE every.owner IS NOT NULL
  ) SELECT owner FROM every WHERE owner <> ALL (CAST(:owners_of_open AS text[]))`;

/** Each owner of what is open, so that `renewals_of_owner` has the renewals of each in order. */
export const openOwners = ({ open }: OwnersOf): string =>
  'of' in open ? 'SELECT unnest(CAST(:owners_of_open AS text[])) AS owner' : OTHER_OWNERS;

export const ownersIn = (owners: OwnersOf | undefined) =>
  owners && { owners_of_open: idsIn(owners.open), owners_of_closed: idsIn(owners.closed) };

const idsIn = (owners: Owners): readonly string[] => ('of' in owners ? owners.of : owners.notOf);
