import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../parts/page-header.tsx';
import { ChooseFile } from './choose-file.tsx';
import type { ImportKind } from './columns.ts';
import { ImportReport } from './import-report.tsx';
import type { Shown } from './import-words.ts';
import { useLastImport } from './last-import.tsx';

const renewals = getRouteApi('/import/renewals');
const customers = getRouteApi('/import/customers');

export function RenewalImportPage() {
  const navigate = renewals.useNavigate();
  return (
    <ImportPage kind="renewals" search={renewals.useSearch()} go={(search, replace) => navigate({ search, replace })} />
  );
}

export function CustomerImportPage() {
  const navigate = customers.useNavigate();
  return (
    <ImportPage
      kind="customers"
      search={customers.useSearch()}
      go={(search, replace) => navigate({ search, replace })}
    />
  );
}

interface Place {
  import?: string;
  rows?: Shown;
}

interface ImportPageProps {
  kind: ImportKind;
  search: Place;
  go(search: Place, replace?: boolean): void;
}

/** Files of rows, from choosing one to what came of it; which one stands in the address. */
function ImportPage({ kind, search: { import: id, rows }, go }: ImportPageProps) {
  const [, remember] = useLastImport(kind);
  const begin = (begun: string) => {
    remember(begun);
    go({ import: begun });
  };
  return (
    <>
      <PageHeader
        title={kind === 'renewals' ? 'Import renewals' : 'Import customers'}
        action={
          id !== undefined && (
            <Button variant="default" onClick={() => go({})}>
              Another file
            </Button>
          )
        }
      />
      {id === undefined ? (
        <ChooseFile kind={kind} begun={begin} />
      ) : (
        <ImportReport kind={kind} id={id} asked={rows} show={(shown) => go({ import: id, rows: shown }, true)} />
      )}
    </>
  );
}
