import { ActionIcon } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarRightCollapse, IconLayoutSidebarRightExpand } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Attachment, CustomerDetail } from '../api/types.ts';
import classes from './beside-thread.module.css';
import { ShowFile } from './show-file.ts';

const AboutCustomer = lazy(() => import('./about-customer.tsx'));
const FileDrawer = lazy(() => import('./file-drawer.tsx'));

const panelId = 'about-customer';

/** What stands beside a log: a document somebody opened, else what is known of the customer, where there is room for it. */
export function useBeside() {
  const [isWanted, setIsWanted] = useLocalStorage({
    key: 'about-customer',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const hasRoom = useMediaQuery('(min-width: 1200px)', false, { getInitialValueInEffect: false });
  const [file, setFile] = useState<Attachment>();
  return { hasRoom, isShown: hasRoom && isWanted, toggle: () => setIsWanted(!isWanted), file, setFile };
}

type IsBeside = ReturnType<typeof useBeside>;

export function BesideButton({ beside: { hasRoom, isShown, toggle, file } }: { beside: IsBeside }) {
  if (!hasRoom || file) return null;
  const words = isShown ? 'Hide what is known of the customer' : 'Show what is known of the customer';
  return (
    <ActionIcon
      size={30}
      variant="subtle"
      color="gray"
      onClick={toggle}
      aria-label={words}
      title={words}
      aria-expanded={isShown}
      aria-controls={isShown ? panelId : undefined}
    >
      {isShown ? <IconLayoutSidebarRightCollapse size={18} /> : <IconLayoutSidebarRightExpand size={18} />}
    </ActionIcon>
  );
}

interface WithBesideProps {
  customer: CustomerDetail;
  beside: IsBeside;
  children: ReactNode;
}

/** Its room is there before what is in it, so that the log does not move. */
export function WithBeside({ customer, beside: { isShown, file, setFile }, children }: WithBesideProps) {
  return (
    <ShowFile value={setFile}>
      <div className={classes.both} data-about={isShown || undefined} data-file={file && true}>
        <div className={classes.log}>{children}</div>
        {isShown && !file && (
          <section id={panelId} className={classes.about} aria-label="About the customer">
            <Suspense>
              <AboutCustomer customer={customer} />
            </Suspense>
          </section>
        )}
        <Suspense>{file && <FileDrawer key={file.id} file={file} close={() => setFile(undefined)} />}</Suspense>
      </div>
    </ShowFile>
  );
}
