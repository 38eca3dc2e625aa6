import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { onSignInWanted, type SignInWanted } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { Failed, Loading } from '../parts/states.tsx';
import classes from './gate.module.css';
import { meQuery, signInAddress } from './session.ts';

/** The system to whoever works here; a way in to everybody else. */
export function Gate({ children }: { children: ReactNode }) {
  const { data: me, isPending, error, isLoadingError, refetch } = useQuery(meQuery);
  if (isPending) return <Loading rows={6} />;
  if (isLoadingError) return <Failed problem={asProblem(error)} again={refetch} />;
  if (me === null) return <SignIn />;
  if (me.role !== 'staff' && me.role !== 'admin') return <NotHere name={me.name ?? me.sub} />;
  return (
    <>
      <SignInAgain />
      {children}
    </>
  );
}

function SignIn() {
  return (
    <Center mih="100dvh" component="main">
      <Stack align="center" gap="md" p="lg">
        <img src="/icon.svg" alt="" width={48} height={48} />
        <Title order={1} size="h3">
          Communications and renewals
        </Title>
        <Button component="a" href={signInAddress()} size="md">
          Sign in
        </Button>
      </Stack>
    </Center>
  );
}

function NotHere({ name }: { name: string }) {
  return (
    <Center mih="100dvh" component="main">
      <Stack align="center" gap="sm" p="lg" maw={480}>
        <Title order={1} size="h3">
          This is for staff
        </Title>
        <Text ta="center">You are signed in as {name}, who does not work with these pages.</Text>
        <Button component="a" href="/auth/login" variant="default">
          Sign in as somebody else
        </Button>
      </Stack>
    </Center>
  );
}

/** Over the page rather than instead of it: what was typed is still there afterwards. */
function SignInAgain() {
  const [why, setWhy] = useState<SignInWanted>();
  useEffect(() => onSignInWanted(setWhy), []);
  if (!why) return null;
  return (
    <div className={classes.wanted} role="alert">
      <Text size="sm">{wordsOf[why]}</Text>
      <Button size="compact-sm" variant="white" onClick={() => location.assign(signInAddress(why === 'again'))}>
        Sign in again
      </Button>
      {why === 'again' && (
        <Button size="compact-sm" variant="transparent" color="inherit" onClick={() => setWhy(undefined)}>
          Not now
        </Button>
      )}
    </div>
  );
}

const wordsOf: Record<SignInWanted, string> = {
  ended: 'Your sign-in has ended. What you typed is kept.',
  again: 'This cannot be taken back, so show once more who you are; then do it again.',
};
