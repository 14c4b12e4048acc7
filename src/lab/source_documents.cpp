// SPDX-License-Identifier: Apache-2.0
#include "lab/source_documents.h"

#include <array>

namespace wideload::lab {
namespace {

// Two of them have no title of their own: those have none in quotes.
constexpr std::array<SourceDocument, 5> kDocuments = {{
    {"000", "On vector loads and stores in CUDA C++",
     "in Chinese; an updated version of a blog post of 4 December 2013", ""},
    {"001", "“CUDA Pro Tip: Aumente o Desempenho com Acesso à Memória Vetorizado”",
     "GPU Pro Tip, in Portuguese, after a post of NVIDIA's developer blog",
     "https://developer.nvidia.com/blog/"
     "cuda-pro-tip-increase-performance-with-vectorized-memory-access"},
    {"002", "“cuda”", "Ikko, 24 December 2025, in Chinese, CC BY-NC-SA 4.0",
     "http://ikko-debug.github.io/2025/12/24/cuda/"},
    {"003", "On global memory and how access patterns use it",
     "in Chinese; an update of a blog post by Mark Harris of NVIDIA of 2013", ""},
    {"004", "“CUDA学习笔记2——全局内存的合理使用(以矩阵转置为例,讲述全局内存的合并访问以及__ldg())”",
     "in Chinese", ""},
}};

}  // namespace

std::span<const SourceDocument> source_documents() { return kDocuments; }

}  // namespace wideload::lab
