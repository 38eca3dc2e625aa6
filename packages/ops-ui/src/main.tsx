import '@fontsource-variable/inter/index.css';
import '@mantine/core/styles.css';
import './theme/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchWhoIsThere } from './api/attended.ts';
import { queries } from './api/queries.ts';
import { router } from './router.tsx';
import { Gate } from './session/gate.tsx';
import { theme } from './theme/theme.ts';

/** Of this very answer: elements of style that the page itself makes are taken with it alone. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce;

watchWhoIsThere();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
      <QueryClientProvider client={queries}>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
