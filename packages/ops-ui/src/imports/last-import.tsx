import { Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { When } from '../parts/dates.tsx';
import type { ImportKind } from './columns.ts';
import { importQuery } from './import-calls.ts';

/** Which file was sent from this browser last; null: none yet. */
export const useLastImport = (kind: ImportKind) =>
  useLocalStorage<string | null>({
    key: `last import of ${kind}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });

/** The way back to a file whose page somebody left. */
export function LastImport({ kind }: { kind: ImportKind }) {
  const [id] = useLastImport(kind);
  const { data: last } = useQuery({ ...importQuery(kind, id ?? ''), enabled: id !== null });
  if (!last) return null;
  return (
    <Text size="sm">
      The last file sent from here:{' '}
      <Link to={`/import/${kind}`} search={{ import: last.id }}>
        {last.name}
      </Link>
      , <When at={last.created_at} />
    </Text>
  );
}
