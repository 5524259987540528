import { describe, expect, it } from '@jest/globals';
import { isLoopbackAddress, isPublicAddress } from './addresses.js';

describe('addresses that webhooks may be sent to', () => {
  it.each(['8.8.8.8', '100.63.255.254', '100.128.0.1', '2001:4860:4860::8888'])('allows %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    // RFC 1918, loopback, "this network", link-local (cloud metadata), broadcast and multicast.
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '255.255.255.255',
    '224.0.0.1',
    // Carrier-grade NAT, documentation, benchmarks, 6to4 relays, class E.
    '100.64.0.1',
    '100.127.255.254',
    '192.0.2.1',
    '198.18.0.1',
    '192.88.99.1',
    '240.0.0.1',
    // The same in IPv6, and all forms of an IPv4 address in IPv6.
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::2',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::808:808',
    '64:ff9b:1::7f00:1',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '5f00::1',
    // Unassigned addresses, outside of 2000::/3, which is the assigned part of IPv6.
    '1::1',
    '4000::1',
    '64:ff9c::1',
    // No addresses at all.
    'localhost',
    '127.1',
    '',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('addresses of this machine', () => {
  it.each(['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'])('accepts %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  it.each(['0.0.0.0', '10.0.0.1', '8.8.8.8', '::', 'localhost'])('does not accept %s', (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});
