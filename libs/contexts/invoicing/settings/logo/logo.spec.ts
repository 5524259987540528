import { describe, expect, it } from '@jest/globals';
import { deflateSync } from 'node:zlib';
import { pngChunk, pngHead, pngOf, samplePng } from '../../../../../test/support/sample-png.js';
import { MAX_LOGO_BYTES, requireAcceptableLogo } from './logo.js';

const dataOf = (type: string, bytes: Buffer | string) =>
  `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`;
const refused = (logo: string, reason: RegExp | string) =>
  expect(() => requireAcceptableLogo(logo)).toThrow(
    expect.objectContaining({
      status: 400,
      details: [{ field: 'logo', message: expect.stringMatching(reason) }],
    }),
  );
const svg = (inside: string, more = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"${more}>${inside}</svg>`;
const refusedSvg = (
  text: string,
  reason: RegExp | string = /which is not allowed: a logo may contain only shapes/,
) => refused(dataOf('svg+xml', text), reason);

describe('a logo as PNG', () => {
  const end = pngChunk('IEND', Buffer.alloc(0));

  it('is accepted', () => {
    requireAcceptableLogo(dataOf('png', samplePng(40, 10)));
    requireAcceptableLogo(dataOf('png', samplePng(2_000, 20)));
  });

  it.each([
    [
      'too wide',
      samplePng(2_001, 1),
      /is 2001 × 1 pixels; make it at most 2000 in each direction and 1000000 in all/,
    ],
    ['too high', pngOf(pngHead(1, 4_000_000_000), end), /4000000000 pixels/],
    ['of too many pixels', pngOf(pngHead(1_001, 1_000), end), /is 1001 × 1000 pixels/],
    ['empty', pngOf(pngHead(0, 1), end), /is 0 × 1 pixels/],
    ['another file', Buffer.from('GIF89a'), /is not a PNG/],
    ['a page', Buffer.from('<html><script>alert(1)</script>'), /is not a PNG/],
    ['cut', samplePng(40, 10).subarray(0, -3), /damaged/],
    ['with something behind it', Buffer.concat([samplePng(4, 1), Buffer.from('<script>')]), /damaged/],
    ['without pixels', pngOf(pngHead(1, 1), end), /damaged/],
    ['animated', pngOf(pngHead(1, 1), pngChunk('acTL', Buffer.alloc(8)), end), /animated/],
  ])('is refused when it is %s', (_, bytes, reason) => refused(dataOf('png', bytes), reason));

  it('is refused when a checksum is wrong', () => {
    const bytes = samplePng(40, 10);
    bytes[45]! ^= 1;
    refused(dataOf('png', bytes), /damaged/);
  });

  it('is refused if its pixels decompress to far more than its size', () => {
    const bomb = deflateSync(Buffer.alloc(40_000_000));
    refused(dataOf('png', pngOf(pngHead(1, 1), pngChunk('IDAT', bomb), end)), /damaged/);
  });
});

describe('a logo as SVG', () => {
  it('is accepted with shapes, gradients, clips and comments, as drawing programs write them', () => {
    const drawn = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Made by hand -->
<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  x="0px" y="0px" width='120' height='40' viewBox="0 0 120 40" xml:space="preserve" data-name="Layer 1">
  <title>Contoso &amp; Sons</title>
  <defs>
    <linearGradient id="image1" x1="0%" y1="0" x2="1" y2="1"><stop offset="0" stop-color="burlywood"/></linearGradient>
    <linearGradient id="b" xlink:href="#image1" gradientTransform="rotate(45)" />
    <clipPath id="c"><rect width="120" height="40" rx="4"/></clipPath>
  </defs>
  <g clip-path="url(#c)" style="fill:url(#b);stroke:rgb(1, 2, 3);stroke-width:.5px">
    <path d="M0,0 L10-3.5e1 10.5 Z" fill="url('#image1')" transform="matrix(1 0 0 1 2 3)"></path>
  </g>
</svg>
`;
    requireAcceptableLogo(dataOf('svg+xml', drawn));
  });

  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script in another case', svg('<SCRIPT>alert(1)</SCRIPT>')],
    [
      'a script with a prefix',
      svg('<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>'),
    ],
    ['HTML', svg('<foreignObject><iframe src="https://evil.example"/></foreignObject>')],
    ['a handler', svg('<rect onload="alert(1)"/>')],
    ['a handler at its root', svg('', ' onload="alert(1)"')],
    ['an image', svg('<image href="https://evil.example/a.png"/>')],
    ['an image inside', svg('<image href="data:image/png;base64,AAAA"/>')],
    ['another document', svg('<use href="https://evil.example/a.svg#a"/>')],
    ['copies of copies', svg('<g id="a"><use href="#a"/></g>')],
    ['a filter', svg('<filter id="f"><feImage href="https://evil.example"/></filter>')],
    ['a link', svg('<a href="javascript:alert(1)"><rect/></a>')],
    ['a style sheet', svg('<style>@import "https://evil.example"</style>')],
    ['text', svg('<text>Pay to another account</text>')],
    ['text without an element', svg('Pay to another account')],
    ['an animation', svg('<rect><set attributeName="href" to="javascript:alert(1)"/></rect>')],
    ['a fill from elsewhere', svg('<rect fill="url(https://evil.example/a.svg#a)"/>')],
    ['a fill from elsewhere, without a scheme', svg('<rect fill="url(//evil.example#a)"/>')],
    ['a style from elsewhere', svg('<rect style="fill:url(https://evil.example#a)"/>')],
    ['a style from elsewhere beside one from here', svg('<rect style="fill:url(#a) url(b.svg#a)"/>')],
    ['a style with an escape', svg('<rect style="fill:\\75rl(x)"/>')],
    ['a style with an image set', svg('<rect style="mask:image-set(\'a.png\' 1x)"/>')],
    ['a gradient from elsewhere', svg('<linearGradient href="a.svg#b"/>')],
    ['a base', svg('<rect/>', ' xml:base="https://evil.example/"')],
    ['a DOCTYPE', `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg('<title>&a;</title>')}`],
    ['an entity', svg('<title>&lol;</title>')],
    ['a character by its number', svg('<rect fill="&#106;avascript"/>')],
    ['a CDATA section', svg('<title><![CDATA[<script>]]></title>')],
    ['a style sheet by an instruction', `<?xml-stylesheet href="https://evil.example"?>${svg('')}`],
    ['an instruction behind the declaration', `<?xml version="1.0"?><?php echo 1 ?>${svg('')}`],
    ['control characters', svg('<title>\u0000</title>')],
  ])('is refused with %s', (_, text) => refusedSvg(text));

  it('names the part that is not allowed', () => {
    refusedSvg(svg('<script/>'), /^has the element <script>, which is not allowed/);
    refusedSvg(svg('<rect onclick="x"/>'), /^has the attribute onclick, which/);
    refusedSvg(svg('<rect fill="url(a#b)"/>'), /^has the value url\(a#b\) of the attribute fill, which/);
  });

  it.each([
    ['not XML', 'Contoso'],
    ['not closed', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g></svg>'],
    ['cut', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g>'],
    ['empty', ''],
    ['closed twice', `${svg('')}</svg>`],
    ['two documents', svg('') + svg('')],
    ['one inside of another', svg(svg(''))],
    ['a part', '<rect/>'],
    ['without its namespace', '<svg viewBox="0 0 1 1"/>'],
    ['without a size', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['with a tag that does not end', svg(`<rect ${' '.repeat(60_000)}`)],
    ['too deep', svg('<g>'.repeat(50) + '</g>'.repeat(50))],
    ['of too many elements', svg('<g/>'.repeat(2_001))],
  ])('is refused when it is %s', (_, text) => refusedSvg(text, /./));

  it('is parsed quickly, with any content', () => {
    // In time of the processor, since other processes can take the rest.
    const started = process.cpuUsage();
    for (const part of ['<', '<!--', '<g a="', ' a', '&amp;', 'url(', "<g a=''", '<!-- -', '\n'])
      refusedSvg(svg('<g ' + part.repeat(60_000 / part.length)), /./);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});

describe('a logo', () => {
  it('is a PNG or SVG in Base64 of at most 64 KiB', () => {
    for (const logo of [
      'https://contoso.example/logo.png',
      'data:image/gif;base64,AAAA',
      'data:text/html;base64,AAAA',
      '',
      'data:image/png;base64,%%%%',
      'data:image/png;base64,AAA',
      'data:image/png,AAAA',
      'data:image/svg+xml;base64,AAAA"><script>',
      'data:image/svg+xml;utf8,<svg/>',
    ])
      refused(logo, /^must be a PNG or SVG as data:image\/png;base64,…/);
    refused(dataOf('png', Buffer.alloc(MAX_LOGO_BYTES + 1)), /has 65537 bytes; make it at most 65536/);
    refused(dataOf('svg+xml', Buffer.from([0xff, 0xfe, 0x3c])), /is not UTF-8 text/);
  });
});
