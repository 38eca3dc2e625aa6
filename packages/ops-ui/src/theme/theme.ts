import { Badge, createTheme, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  ...(['#eef2ff', '#dde4fb', '#b9c6f5', '#92a6ef', '#718aea', '#5a77e6'] as const),
  ...(['#4463dc', '#3457d5', '#2a4abb', '#203ba1'] as const),
];

/** From text to the ground it stands on, as cool as the surfaces of `global.css`. */
const dark: MantineColorsTuple = [
  ...(['#d3d7de', '#b5bbc5', '#98a1ae', '#757d8a', '#3a3f47', '#30343b'] as const),
  ...(['#25282d', '#1b1d21', '#141518', '#0e0f11'] as const),
];

export const theme = createTheme({
  colors: { accent, dark },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '600' },
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  defaultRadius: 'md',
  radius: { xs: '6px', sm: '6px', md: '6px', lg: '6px', xl: '6px' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: { Badge: Badge.extend({ defaultProps: { tt: 'none' } }) },
});
