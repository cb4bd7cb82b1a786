// Renders a QR code as an SVG document, or as an inline image of a page. It is an SVG in a data URL, which the
// Content-Security-Policy allows (`img-src data:`).
import { encodeQR } from 'qr';
import { html, type Markup } from './html.ts';

/** Modules of white around the code (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/** The text as a QR code: an SVG document. */
export function qrSvg(text: string): string {
  return encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
}

/** The text as a QR code; `alternative` is said to who cannot see it, and does not hold the text. */
export function qrImage(text: string, alternative: string): Markup {
  const address = `data:image/svg+xml;base64,${Buffer.from(qrSvg(text)).toString('base64')}`;
  return html`<img class="qr" src="${address}" alt="${alternative}" width="220" height="220">`;
}
