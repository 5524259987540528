import Provider from 'oidc-provider';

/*
 * An OpenID Connect provider with a sign-in page on a port of this machine. A user signs in with any name and any password. The name is the
 * subject. It is the address too if it has an "@". Otherwise its first 30 letters and digits are the address at example.com.
 *
 * It takes its port, and the redirect URI of its client, as arguments. It writes "ready" when it listens.
 */
const [port, redirectUri] = process.argv.slice(2);

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: 'countinghouse',
      client_secret: 'secret of the client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: id.includes('@') ? id : `${id.replace(/\W/g, '').slice(0, 30)}@example.com`,
      email_verified: !id.includes('unverified'),
      name: `The user ${id}`,
    }),
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  pkce: { required: () => true },
  cookies: { keys: ['a key of the tests'] },
});
provider.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
