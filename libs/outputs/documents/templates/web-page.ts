import { createHash } from 'node:crypto';
import type { Language } from '#libs/kernel/core';
import { compileTemplate } from './engine.js';

/** A web page that contains all its styles and images, with a content security policy that allows no others. */
export interface WebPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/**
 * Makes pages of one kind, from a body template and its style sheet. `ownCss` adds styles that depend on the view. The pages have no
 * script, and contain their images.
 */
export function definePage<View extends { language: Language; title: string; refreshSeconds: number | null }>(
  body: string,
  css: string,
  ownCss: (view: View) => string = () => '',
): (view: View) => WebPage {
  const before = compileTemplate<View>(`<!doctype html>
<html lang="{{language}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light">
{{#if refreshSeconds}}<meta http-equiv="refresh" content="{{refreshSeconds}}">{{/if}}
<title>{{title}}</title>`);
  const after = compileTemplate<View>(body);
  return (view) => {
    // The hash covers the exact bytes of the element's text, so the style stays outside the template.
    const style = `${BASE_CSS}${css}${ownCss(view)}`;
    const hash = createHash('sha256').update(style).digest('base64');
    const contentSecurityPolicy = [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      'img-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    const html = `${before(view)}\n<style>${style}</style>\n</head>\n<body>\n${after(view)}\n</body>\n</html>\n`;
    return { html, contentSecurityPolicy };
  };
}

const BASE_CSS = `
html { background: #f3f5f8; color: #1b2230; -webkit-text-size-adjust: 100%; line-break: strict;
  font: 16px/1.5 -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Open Sans', 'Helvetica Neue', Arial, sans-serif; }
body { margin: 0; }
a { color: #1d4ed8; text-underline-offset: 0.15em; }
a:focus-visible, button:focus-visible, input:focus-visible { outline: 3px solid #93b4fd; outline-offset: 2px; }
`;
