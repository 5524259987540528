import { httpTo, type Http } from '../http.ts';

/** How to get into the workspace of a history. */
export interface Access {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** A user with a workspace, sessions of each end, and API keys. */
export async function playIdentity(
  url: string,
): Promise<{ access: Access; http: Http; session: Http; visitor: Http }> {
  const visitor = httpTo(url);
  const access = { email: 'ada@example.com', password: 'a throw-away password' };
  const { tokens } = await visitor.post('/v1/auth/register', {
    ...access,
    name: 'Ada Example',
    companyName: 'Contoso Cloud Services',
  });
  const session = httpTo(url, tokens.accessToken);
  const tokensOfSignIn = async () => (await visitor.post('/v1/auth/login', access)).tokens;
  await visitor.post('/v1/auth/logout', { refreshToken: (await tokensOfSignIn()).refreshToken });
  const { refreshToken } = await tokensOfSignIn();
  await visitor.post('/v1/auth/refresh', { refreshToken });
  await visitor.refused('/v1/auth/refresh', { refreshToken });

  const { key: apiKey } = await session.post('/v1/api-keys', { name: 'Of the history', role: 'admin' });
  const { id } = await session.post('/v1/api-keys', { name: 'Revoked', role: 'viewer' });
  await session.delete(`/v1/api-keys/${id}`);
  return { access: { ...access, apiKey }, http: httpTo(url, apiKey), session, visitor };
}

/** A new session of the user. */
export async function signIn(url: string, { email, password }: Omit<Access, 'apiKey'>): Promise<Http> {
  const { tokens } = await httpTo(url).post('/v1/auth/login', { email, password });
  return httpTo(url, tokens.accessToken);
}
