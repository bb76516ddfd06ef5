# nix-env --install --file tavola.nix, or callPackage in a flake.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "tavola";
  version = "@VERSION@";
  src = pkgs.fetchurl {
    url = "@RELEASES@/@ARCHIVE@";
    sha256 = "@SHA256@";
  };
  # The program has every library linked in: there is nothing to patch.
  dontConfigure = true;
  dontBuild = true;
  dontFixup = true;
  installPhase = ''
    mkdir -p $out
    cp -r bin share $out/
  '';
  meta = {
    description = "@DESCRIPTION@";
    license = pkgs.lib.licenses.asl20;
    platforms = [ "x86_64-linux" ];
    mainProgram = "tavola";
  };
}
