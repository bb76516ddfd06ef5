class Tavola < Formula
  desc "@DESCRIPTION@"
  homepage "@RELEASES@"
  url "@RELEASES@/@ARCHIVE@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "bin/tavola"
    man1.install "share/man/man1/tavola.1"
    bash_completion.install "share/bash-completion/completions/tavola"
    zsh_completion.install "share/zsh/site-functions/_tavola"
    fish_completion.install "share/fish/vendor_completions.d/tavola.fish"
  end

  service do
    run [opt_bin/"tavola", "serve", "--data", var/"tavola"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tavola --version")
  end
end
