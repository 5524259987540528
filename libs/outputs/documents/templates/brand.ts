import type { DocumentBrand } from '#libs/contexts/invoicing';

/** The parts of a brand that templates show. */
export interface BrandView {
  /** The logo as a `data:` URL without its scheme, which the templates add; null if the brand has no logo. */
  logo: string | null;
  /** Tells whether the brand has its own colour. */
  hasColor: boolean;
}

const COLOR = /^#[0-9a-fA-F]{6}$/;
/** The luminance at which black and white are equally readable: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio. */
const MIDDLE = 0.179;

/** Makes the values of a brand that templates show. The logo needs no check here: its image type was checked when the logo was set. */
export function brandView({ logo, brandColor }: DocumentBrand): BrandView {
  return { logo: logo === null ? null : logo.replace(/^data:/, ''), hasColor: brandColor !== null };
}

/**
 * The CSS variables of a brand: `--brand` for its colour, and `--on-brand` for readable text on that colour. Returns an empty text if the
 * brand has no colour.
 */
export function brandCss({ brandColor }: DocumentBrand): string {
  if (brandColor === null) return '';
  const { color, labelColor } = buttonColors(brandColor);
  return `:root { --brand: ${color}; --on-brand: ${labelColor}; }\n`;
}

/**
 * The colour of a button, which is the brand's colour, and the colour of readable text on the button. Throws an Error if `brandColor` is
 * not a colour.
 */
export function buttonColors(brandColor: string): { color: string; labelColor: string } {
  if (!COLOR.test(brandColor)) throw new Error(`"${brandColor}" is no color`);
  return { color: brandColor, labelColor: luminance(brandColor) > MIDDLE ? '#000000' : '#ffffff' };
}

/** The luminance of a colour, from 0 (black) to 1 (white): https://www.w3.org/TR/WCAG22/#dfn-relative-luminance. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
