import { Anchor, Group } from '@mantine/core';
import type { Attachment } from '../api/types.ts';
import { Drawer } from '../parts/drawer.tsx';
import classes from './attached.module.css';
import { addressOf, nameOf } from './attached.tsx';

/** A PDF in the browser's own viewer, which the service lets a page of ours alone put in a frame. */
export default function FileDrawer({ file, close }: { file: Attachment; close(): void }) {
  const name = nameOf(file);
  return (
    <Drawer title={name} label={name} close={close}>
      <div className={classes.shown}>
        <Group gap="md">
          <Anchor href={addressOf(file)} download size="sm">
            Download
          </Anchor>
          <Anchor href={addressOf(file)} target="_blank" rel="noreferrer" size="sm">
            Open in a tab of its own
          </Anchor>
        </Group>
        <iframe className={classes.document} title={name} src={`${addressOf(file)}#view=FitH`} />
      </div>
    </Drawer>
  );
}
