// The package finds its engine by its own address, so Next.js leaves it where it is.
export default { serverExternalPackages: ['transformer-wasm'] };
