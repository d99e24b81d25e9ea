/** The version in package.json; a test checks that they agree. */
export const version = '0.2.0';
