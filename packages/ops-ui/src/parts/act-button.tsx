import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActButtonProps extends Omit<ButtonProps, 'disabled' | 'loading'> {
  isPending: boolean;
  act(): void;
  children: ReactNode;
}

/** It keeps the focus while it is at work and can do nothing more; disabled it would lose it. */
export const ActButton = ({ isPending, act, ...rest }: ActButtonProps) => (
  <Button
    {...rest}
    onClick={() => !isPending && act()}
    aria-disabled={isPending}
    data-disabled={isPending || undefined}
  />
);
